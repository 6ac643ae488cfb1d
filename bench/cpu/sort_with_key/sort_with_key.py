import sys


class Person:
    def __init__(self, name, age, score):
        self.name = name
        self.age = age
        self.score = score


n = int(sys.argv[1]) if len(sys.argv) > 1 else 500000
people = []
seed = 7
for i in range(n):
    seed = (seed * 1103515245 + 12345) % 2147483648
    people.append(Person(f"p{seed % 100003}", seed // 1000 % 90, float(seed % 1000) / 8.0))
by_age = sorted(people, key=lambda p: p.age)
by_name = sorted(people, key=lambda p: p.name)
people.sort(key=lambda p: (-p.score, p.age))
check = 0
for i in range(0, n, 1000):
    check = (check * 31 + by_age[i].age + len(by_name[i].name) + int(people[i].score)) % 1000000007
print(by_age[0].age, by_name[0].name, people[0].score, check)
