/** Fields and headers that change prices: priced by the row, refused, or left out and named. */
import { GatewayError } from '@model-gateway/contracts';
import type { Dropped, PriceOption, RequestCost } from '@model-gateway/translate';
import type { Price } from '../../catalogue.ts';

/** What a request asks for that changes its price. */
export interface AskedOptions {
  /** What its prices are multiplied by. */
  readonly factor: number;
  /** Headers without what the row has no price for. */
  readonly headers: Readonly<Record<string, string>>;
  /** What was left out of them. */
  readonly dropped: readonly Dropped[];
}

/** Throws `invalid_request` naming the field that the row has no price for. */
export function askedOptions(
  price: Price,
  { options }: Pick<RequestCost, 'options'>,
  given: Readonly<Record<string, string>>,
): AskedOptions {
  if (options.length === 0 || isFree(price)) return { factor: 1, headers: given, dropped: [] };
  let factor = 1;
  let headers = given;
  const dropped: Dropped[] = [];
  for (const option of options) {
    const known = factorOf(price, option);
    if (known !== undefined) {
      factor *= known;
    } else if (option.header === undefined) {
      throw hasNoPrice(price, option);
    } else {
      headers = withoutMember(headers, option.header, option.value);
      dropped.push({
        field: `${option.field}: ${option.value.slice(0, 60)}`,
        reason: 'this model has no price for it',
      });
    }
  }
  return { factor, headers, dropped };
}

/** Nothing times anything is nothing. */
function isFree(price: Price): boolean {
  return Object.values(price).every((each) => typeof each !== 'number' || each === 0);
}

function factorOf({ factors }: Price, { name, value }: PriceOption): number | undefined {
  const known = factors?.[name];
  return known !== undefined && Object.hasOwn(known, value) ? known[value] : undefined;
}

function hasNoPrice({ factors }: Price, { name, value, field }: PriceOption): GatewayError {
  const known = Object.keys(factors?.[name] ?? {});
  const right = known.length === 0 ? 'leave it out' : `leave it out, or send ${known.join(' or ')}`;
  return new GatewayError(
    'invalid_request',
    `${field} is '${value.slice(0, 60)}', which changes what the model costs and has no price here; ${right}`,
    { param: field },
  );
}

function withoutMember(
  headers: Readonly<Record<string, string>>,
  header: string,
  member: string,
): Readonly<Record<string, string>> {
  const rest = (headers[header] ?? '').split(',').filter((each) => each.trim() !== member);
  const { [header]: _all, ...others } = headers;
  return rest.length === 0 ? others : { ...others, [header]: rest.join(',') };
}
