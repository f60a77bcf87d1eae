/** Which gateway a command speaks to, and with which key. */
import { given, type Environment } from '../config/interpolate.ts';
import type { OperatorOptions, TargetOptions } from './command-options.ts';
import { CommandFault, misuse } from './command-fault.ts';
import { readProfiles, type Profile, type Profiles } from './profiles.ts';

/** A gateway with the key that a command takes to it. */
export interface Target {
  readonly url: string;
  readonly key: string;
  /** For people: `http://… (profile prod)`. */
  readonly where: string;
}

/** The address of a gateway that was started here and told nothing else. */
function localUrl(env: Environment): string {
  return `http://127.0.0.1:${given(env['PORT']) ?? '8080'}`;
}

/**
 * The gateway of a client's command: --url, else --profile, MODEL_GATEWAY_URL, GATEWAY_PROFILE, the profile in use, the one on this machine. A
 * profile's key goes to the profile's own address only. Throws CommandFault when there is no key.
 */
export function clientTarget(env: Environment, options: TargetOptions & { readonly key?: string }): Target {
  const own = options.key ?? given(env['MODEL_GATEWAY_API_KEY']);
  const { address, chosen } = addressOf(env, options);
  // A profile that is named comes with its own key; a key on the command line is meant in any case.
  const key =
    options.key ?? (chosen === undefined ? own : (chosen.key ?? own)) ?? profileAt(readProfiles(env), address)?.key;
  if (key === undefined) throw noKey(address, chosen);
  return { url: address, key, where: whereOf(address, chosen) };
}

/** The address of the same gateway, where no key is needed to say it. */
export function clientAddress(env: Environment, options: TargetOptions): string {
  return addressOf(env, options).address;
}

function addressOf(
  env: Environment,
  options: TargetOptions,
): { readonly address: string; readonly chosen: NamedProfile | undefined } {
  const url = options.url ?? (options.profile === undefined ? given(env['MODEL_GATEWAY_URL']) : undefined);
  const chosen = url === undefined ? chosenProfile(env, options.profile) : undefined;
  return { address: urlOf(url ?? chosen?.url ?? localUrl(env)), chosen };
}

/** Whether a client's command would speak to a gateway that somebody named, and not just to the usual address. */
export function isClientTargeted(env: Environment, options: TargetOptions & { readonly key?: string }): boolean {
  return (
    (options.url ?? options.profile ?? options.key) !== undefined ||
    given(env['MODEL_GATEWAY_URL']) !== undefined ||
    given(env['MODEL_GATEWAY_API_KEY']) !== undefined ||
    chosenProfile(env, undefined) !== undefined
  );
}

/** The gateway of an operators' command; undefined for the database of this machine. Throws CommandFault when there is no admin key. */
export function operatorTarget(env: Environment, options: OperatorOptions): Target | undefined {
  if (options.local === true) {
    if ((options.url ?? options.profile) === undefined) return undefined;
    throw misuse('--local means the database of this machine; leave it out with --url or --profile.');
  }
  const own = given(env['GATEWAY_ADMIN_KEY']) ?? given(env['MODEL_GATEWAY_ADMIN_KEY']);
  if (options.url !== undefined) {
    const url = urlOf(options.url);
    const key = own ?? profileAt(readProfiles(env), url)?.admin_key;
    if (key === undefined)
      throw new CommandFault('GATEWAY_ADMIN_KEY is not set; it is the admin key of the gateway that --url names.');
    return { url, key, where: url };
  }
  const chosen = chosenProfile(env, options.profile);
  if (chosen === undefined) return undefined;
  if (chosen.admin_key !== undefined)
    return { url: chosen.url, key: chosen.admin_key, where: whereOf(chosen.url, chosen) };
  // A profile in use that is for clients alone says nothing about operators' work.
  if (options.profile === undefined) return undefined;
  throw new CommandFault(
    `The profile ${chosen.name} has no admin key: gateway profile add ${chosen.name} --url ${chosen.url} --admin-key -`,
  );
}

interface NamedProfile extends Profile {
  readonly name: string;
}

function chosenProfile(env: Environment, asked: string | undefined): NamedProfile | undefined {
  const kept = readProfiles(env);
  const name = asked ?? given(env['GATEWAY_PROFILE']) ?? kept.current;
  return name === undefined ? undefined : { name, ...profileNamed(kept, name) };
}

/** A profile by its name. Throws CommandFault with those that there are. */
export function profileNamed({ profiles }: Profiles, name: string): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(profiles);
  const known = names.length === 0 ? 'gateway profile add makes one' : `there are ${names.join(', ')}`;
  throw misuse(`There is no profile '${name.slice(0, 80)}'; ${known}.`);
}

function profileAt({ profiles }: Profiles, url: string): Profile | undefined {
  return Object.values(profiles).find((each) => each.url === url);
}

/** An address as it is kept: without a slash at its end, and without the /v1 that SDKs want. Throws CommandFault. */
export function urlOf(text: string): string {
  // The path of SDKs, which are not ours to match.
  // oxlint-disable-next-line eslint-core/no-own-paths
  const trimmed = text.replace(/\/+$/, '').replace(/\/v1$/, '');
  if (!URL.canParse(trimmed) || !/^https?:$/.test(new URL(trimmed).protocol))
    throw misuse(`--url: '${text.slice(0, 80)}' is no address; write one such as https://gateway.example.com.`);
  return trimmed;
}

function whereOf(url: string, profile: NamedProfile | undefined): string {
  return profile === undefined ? url : `${url} (profile ${profile.name})`;
}

function noKey(url: string, profile: NamedProfile | undefined): CommandFault {
  const start =
    profile === undefined
      ? `No key for ${url}: set MODEL_GATEWAY_API_KEY, or keep it: gateway profile add NAME --url ${url}.`
      : `The profile ${profile.name} has no key: gateway profile add ${profile.name} --url ${url} --key -`;
  return new CommandFault(`${start} On the gateway's machine gateway keys create --test makes one.`);
}
