/**
 * Small faults of the sort that a careless change makes, one or more of every subject. Each has a `name`, a `subject`, the `file` it is in, the text to
 * `find` there, which occurs once, what to `replace` it with, and the `tests` that should notice: a project and what stands in the paths of its
 * test files. `missed` says which test is wanting where none notices.
 */
import { MONEY } from './faults/money.mjs';
import { REQUESTS } from './faults/requests.mjs';
import { ROUTING } from './faults/routing.mjs';
import { STREAMS } from './faults/streams.mjs';
import { SURROUNDINGS } from './faults/surroundings.mjs';
import { TASKS } from './faults/tasks.mjs';
import { TRANSLATION } from './faults/translation.mjs';

export const FAULTS = [...MONEY, ...ROUTING, ...STREAMS, ...TASKS, ...REQUESTS, ...TRANSLATION, ...SURROUNDINGS];
