/** For `submit.asked:3`: dies when it gets to that step for the third time, as `kill -9` would make it, without a last word. */
export function dyingAt(crashAt) {
  const [label, times] = crashAt.split(':');
  let left = Number(times);
  return (step) => {
    if (step === label && --left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
