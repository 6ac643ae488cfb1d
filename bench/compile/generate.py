"""Programs of about the same shape and length in Meteor, Go, Rust and C++: classes with fields and methods, functions with loops,
conditions, lists, dicts and texts, and a main that calls them all. '10,000 lines' is the length of the Meteor one."""

LINES_PER_PART = 25

METEOR = '''class Item{n}:
    name: str
    weight: int
    prices: list<int>

    def total(self) -> int:
        sum = 0
        for price in self.prices: sum += price * self.weight
        return sum

    def label(self) -> str:
        return f"{{self.name}}/{{self.weight}}"

def work{n}(seed: int) -> int:
    counts: dict<str, int> = {{}}
    items: list<Item{n}> = []
    for i in range(seed % 7 + 3):
        items.append(Item{n}(f"item{{i}}", i + {n}, [i, i + 1, seed % 11]))
    best = 0
    for item in items:
        counts[item.label()] = item.total()
        if item.total() > best: best = item.total()
    return best + len(counts)

'''

GO = '''type Item{n} struct {{
	name   string
	weight int
	prices []int
}}

func (self *Item{n}) total() int {{
	sum := 0
	for _, price := range self.prices {{ sum += price * self.weight }}
	return sum
}}

func (self *Item{n}) label() string {{ return fmt.Sprintf("%s/%d", self.name, self.weight) }}

func work{n}(seed int) int {{
	counts := map[string]int{{}}
	items := []*Item{n}{{}}
	for i := 0; i < seed%7+3; i++ {{ items = append(items, &Item{n}{{fmt.Sprintf("item%d", i), i + {n}, []int{{i, i + 1, seed % 11}}}}) }}
	best := 0
	for _, item := range items {{
		counts[item.label()] = item.total()
		if item.total() > best {{ best = item.total() }}
	}}
	return best + len(counts)
}}

'''

RUST = '''struct Item{n} {{
    name: String,
    weight: i64,
    prices: Vec<i64>,
}}

impl Item{n} {{
    fn total(&self) -> i64 {{
        let mut sum = 0;
        for price in &self.prices {{ sum += price * self.weight; }}
        sum
    }}
    fn label(&self) -> String {{ format!("{{}}/{{}}", self.name, self.weight) }}
}}

fn work{n}(seed: i64) -> i64 {{
    let mut counts: HashMap<String, i64> = HashMap::new();
    let mut items: Vec<Item{n}> = Vec::new();
    for i in 0..seed % 7 + 3 {{ items.push(Item{n} {{ name: format!("item{{}}", i), weight: i + {n}, prices: vec![i, i + 1, seed % 11] }}); }}
    let mut best = 0;
    for item in &items {{
        counts.insert(item.label(), item.total());
        if item.total() > best {{ best = item.total(); }}
    }}
    best + counts.len() as i64
}}

'''

CPP = '''struct Item{n} {{
  std::string name;
  int64_t weight;
  std::vector<int64_t> prices;
  int64_t total() const {{
    int64_t sum = 0;
    for (int64_t price : prices) sum += price * weight;
    return sum;
  }}
  std::string label() const {{ return name + "/" + std::to_string(weight); }}
}};

static int64_t work{n}(int64_t seed) {{
  std::unordered_map<std::string, int64_t> counts;
  std::vector<std::shared_ptr<Item{n}>> items;
  for (int64_t i = 0; i < seed % 7 + 3; ++i) items.push_back(std::make_shared<Item{n}>(Item{n}{{"item" + std::to_string(i), i + {n}, {{i, i + 1, seed % 11}}}}));
  int64_t best = 0;
  for (const auto& item : items) {{
    counts[item->label()] = item->total();
    if (item->total() > best) best = item->total();
  }}
  return best + int64_t(counts.size());
}}

'''


def programs(lines):
    """{file ending: source}"""
    parts = lines // LINES_PER_PART
    calls = range(parts)
    meteor = "".join(METEOR.format(n=n) for n in calls) + "def main(args: list<str>):\n    sum = 0\n" + "".join(f"    sum += work{n}(len(args) + {n})\n" for n in calls) + "    print(sum)\n"
    go = 'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\n' + "".join(GO.format(n=n) for n in calls)
    go += "func main() {\n\tsum := 0\n" + "".join(f"\tsum += work{n}(len(os.Args) - 1 + {n})\n" for n in calls) + "\tfmt.Println(sum)\n}\n"
    rust = "use std::collections::HashMap;\n\n" + "".join(RUST.format(n=n) for n in calls)
    rust += "fn main() {\n    let count = std::env::args().count() as i64 - 1;\n    let mut sum = 0;\n" + "".join(f"    sum += work{n}(count + {n});\n" for n in calls) + '    println!("{}", sum);\n}\n'
    cpp = "".join(f"#include <{name}>\n" for name in ("cstdint", "cstdio", "memory", "string", "unordered_map", "vector")) + "\n" + "".join(CPP.format(n=n) for n in calls)
    cpp += "int main(int argc, char**) {\n  int64_t sum = 0;\n" + "".join(f"  sum += work{n}(argc - 1 + {n});\n" for n in calls) + '  std::printf("%lld\\n", (long long)sum);\n}\n'
    return {"met": meteor, "go": go, "rs": rust, "cpp": cpp}
