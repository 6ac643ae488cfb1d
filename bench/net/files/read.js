// read FOLDER COUNT TIMES: reads all files at the same time, so many times.
const { readFile } = require("fs").promises;
const [folder, count, times] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
(async () => {
  for (let round = 0; round < times; round++) {
    const found = await Promise.all(Array.from({ length: count }, (_, i) => readFile(`${folder}/${i}`)));
    if (found.reduce((sum, data) => sum + data.length, 0) !== count * 1024) process.exit(1);
  }
})();
