const POLL_MS = 10;

/** Asks until it is so: for what the gateway, a vendor or another process does in its own time. Rejects with the question after `seconds`. */
export async function until(isSo: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`it has not come about within ${seconds} s: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
