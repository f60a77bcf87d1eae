/** How much text a vendor's events carry, in bytes, without parsing them: what is billed when the vendor does not say. */
/** Bytes of the string values behind these ends of names, in whole events given as one-byte (latin-1) text. */
export function outputBytes(names: readonly string[], events: string): number {
  let said = 0;
  for (const name of names) {
    for (let at = events.indexOf(name); at !== -1; at = events.indexOf(name, at)) {
      at += name.length;
      if (events[at] !== ':') continue;
      at++;
      if (events[at] === ' ') at++;
      if (events[at] !== '"') continue;
      const end = endOfString(events, at);
      said += end - at - 1;
      at = end;
    }
  }
  return said;
}

/** Where output may begin: what stands before it (a request told back, an empty frame) says nothing of how much text the rest carries. */
export function firstOutputAt(names: readonly string[], events: string): number {
  const found = names.map((name) => events.indexOf(name)).filter((at) => at !== -1);
  return found.length === 0 ? events.length : Math.min(...found);
}

/** Index of the closing quote. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from + 1);
  while (quote !== -1) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}
