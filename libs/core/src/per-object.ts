/** What follows from an object that stays for many requests (a row, an offer, a price) is found out once. */

/** Makes `make` remember: it is called once for each object, and what it gave is kept for as long as the object is. */
export function perObject<Of extends object, Value>(make: (of: Of) => Value): (of: Of) => Value {
  const known = new WeakMap<Of, { readonly value: Value }>();
  return (of) => {
    let made = known.get(of);
    if (made === undefined) known.set(of, (made = { value: make(of) }));
    return made.value;
  };
}
