/** Series of metrics by row and offer: made once, because their labels come with every request. */
import type { ModelRow, Offer } from '../catalogue.ts';
import type { Meter } from '../parts.ts';
import { perObject } from '../per-object.ts';

type Row = Pick<ModelRow, 'code' | 'kind' | 'wildcard'>;
type AskedOffer = Pick<Offer, 'account' | 'model'>;

/** Keeps what `make` gives for as long as the catalogue has the row; rows of wildcards are made for each request, and so is this of them. */
export function perOffer<T>(
  make: (meter: Meter, row: Row, offer: AskedOffer | undefined) => T,
): (meter: Meter, row: Row, offer: AskedOffer | undefined) => T {
  const known = perObject((meter: Meter) =>
    perObject((row: Row) => perObject((offer: AskedOffer) => make(meter, row, offer))),
  );
  return (meter, row, offer) =>
    row.wildcard !== undefined || offer === undefined ? make(meter, row, offer) : known(meter)(row)(offer);
}
