import sys


class Particles:
    def __init__(self, n):
        self.x = [float(i % 100) for i in range(n)]
        self.y = [float(i % 77) for i in range(n)]
        self.vx = [float(i % 13) for i in range(n)]
        self.vy = [float(i % 7) for i in range(n)]

    def step(self, dt):
        for i in range(len(self.x)):
            self.x[i] += self.vx[i] * dt
            self.y[i] += self.vy[i] * dt

    def pull(self, dt):
        x, y, vx, vy = self.x, self.y, self.vx, self.vy
        for i in range(len(x)):
            vx[i] -= x[i] * dt
            vy[i] -= y[i] * dt

    def energy(self):
        sum = 0.0
        for i in range(len(self.x)):
            sum += self.x[i] * self.x[i] + self.y[i] * self.y[i] + self.vx[i] * self.vx[i] + self.vy[i] * self.vy[i]
        return sum


p = Particles(int(sys.argv[1]) if len(sys.argv) > 1 else 10000)
for _ in range(10000):
    p.step(0.001)
    p.pull(0.001)
print(f"{p.energy():.6f}")
