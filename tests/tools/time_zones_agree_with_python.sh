# What clocks show, and when they show it, is what Python's zoneinfo says: around every change of some zones, in gaps and folds, and at random.
set -eu
cat > cases.py <<'PY'
import random
from zoneinfo import _zoneinfo

ZONES = """Europe/Berlin America/New_York Europe/Dublin Australia/Lord_Howe Africa/Casablanca America/St_Johns Pacific/Apia
    Asia/Gaza America/Nuuk UTC EST5EDT Antarctica/Troll Africa/Monrovia America/Santiago""".split()
LIMIT = 9_100_000_000
random.seed(7)
for name in ZONES:
    zone = _zoneinfo.ZoneInfo(name)
    seconds = [random.randrange(-LIMIT, LIMIT) for _ in range(1000)]
    offsets = [zone._tti_before, *zone._ttinfos]
    for start, before, after in zip(zone._trans_utc, offsets, zone._ttinfos):
        shifts = {0, int(before.utcoff.total_seconds()), int(after.utcoff.total_seconds())}
        seconds += [start + shift + near for shift in shifts for near in (-3601, -1, 0, 1, 1800, 3600)]
    for year in range(2040, 2260, 20):   # by the rule
        seconds += range(int((year - 1970) * 31556952), int((year - 1969) * 31556952), 86400 * 7 // 2 + 1800)
    for at in seconds:
        if abs(at) < LIMIT: print(name, at)
PY
cat > answers.py <<'PY'
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

start = datetime(1970, 1, 1, tzinfo=timezone.utc)
for line in open("cases.txt"):
    name, seconds = line.split()
    zone = ZoneInfo(name)
    at = start + timedelta(seconds=int(seconds))
    shown = int(at.astimezone(zone).utcoffset().total_seconds())
    wall = [int((at.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc) - start).total_seconds()) for fold in (0, 1)]
    print(name, seconds, shown, *wall)
PY
cat > answers.met <<'MET'
import time

zones: dict<str, time.Zone> = {}
for line in open("cases.txt"):
    name, seconds = line.split()
    if name not in zones: zones[name] = time.Zone(name)
    zone = zones[name]
    t = time.from_unix(int(seconds))
    wall = [time.in_zone(zone, t.year, t.month, t.day, t.hour, t.minute, t.second, fold=fold).unix for fold in [0, 1]]
    print(name, seconds, t.in_zone(zone).offset, wall[0], wall[1])
MET
python3 cases.py > cases.txt
python3 answers.py > expected.txt
"$METEOR" run answers.met > found.txt
cmp expected.txt found.txt
[ "$(wc -l < found.txt)" -gt 20000 ]
