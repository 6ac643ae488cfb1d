"""The works of bench/async on asyncio."""
import asyncio
import random
import sys
import time

began = 0.0


def start():
    global began
    began = time.process_time()


def per(n):
    return (time.process_time() - began) * 1e9 / n


async def plus_one(x):
    return x + 1


async def spawn(n):
    start()
    async with asyncio.TaskGroup() as group:
        for i in range(n):
            group.create_task(plus_one(i))
    return per(n)


async def turns(n):
    for _ in range(n):
        await asyncio.sleep(0)


async def yields(n):
    start()
    async with asyncio.TaskGroup() as group:
        for _ in range(1000):
            group.create_task(turns(n // 1000))
    return per(n)


async def ready(n):
    start()
    x = 0
    for _ in range(n):
        x = await plus_one(x)
    return per(n)


async def deep(depth, n):
    if depth <= 1:
        await turns(n)
    else:
        await deep(depth - 1, n)


async def wake_at(depth, n):
    start()
    await deep(depth, n)
    return per(n)


async def echo(a, b, n):
    for _ in range(n):
        await b.put(await a.get())


async def channel(n):
    a, b = asyncio.Queue(1), asyncio.Queue(1)
    start()
    async with asyncio.TaskGroup() as group:
        group.create_task(echo(a, b, n))
        for i in range(n):
            await a.put(i)
            await b.get()
    return per(n * 2)


async def timers(n):
    random.seed(1)
    start()
    async with asyncio.TaskGroup() as group:
        for _ in range(n):
            group.create_task(asyncio.sleep(random.random()))
    return per(n)


def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096


async def memory(n):
    before = resident()
    all_tasks = [asyncio.create_task(asyncio.sleep(1000)) for _ in range(n)]
    await asyncio.sleep(0)
    each = (resident() - before) / n
    for task in all_tasks:
        task.cancel()
    return each


async def cancel(n):
    all_tasks = [asyncio.create_task(asyncio.sleep(1000)) for _ in range(n)]
    await asyncio.sleep(0)
    start()
    for task in all_tasks:
        task.cancel()
    await asyncio.gather(*all_tasks, return_exceptions=True)
    return per(n)


async def fail(depth):
    if depth == 0:
        raise ValueError("no")
    return await fail(depth - 1)


async def error(n):
    start()
    for _ in range(n):
        try:
            await fail(4)
        except ValueError:
            pass
    return per(n)


async def holds(s, n):
    for _ in range(n):
        async with s:
            await asyncio.sleep(0)


async def semaphore(n):
    s = asyncio.Semaphore(10)
    start()
    async with asyncio.TaskGroup() as group:
        for _ in range(1000):
            group.create_task(holds(s, n // 1000))
    return per(n)


WORKS = {"spawn": spawn, "yield": yields, "ready": ready, "wake_1": lambda n: wake_at(1, n), "wake_10": lambda n: wake_at(10, n),
         "wake_100": lambda n: wake_at(100, n), "channel": channel, "timers": timers, "memory": memory, "cancel": cancel, "error": error,
         "semaphore": semaphore}
if sys.argv[1] not in WORKS:
    sys.exit(2)
print(f"{asyncio.run(WORKS[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)):.2f}")
