import { expect, it } from 'vitest';
import { UnreadAnswers } from './unread-answers.ts';

function room() {
  let [now, isRoomWanted] = [0, true];
  const gone: string[] = [];
  const answers = new UnreadAnswers({ now: () => now, isRoomWanted: () => isRoomWanted });
  return {
    gone,
    pass: (ms: number) => (now += ms),
    want: (wanted: boolean) => (isRoomWanted = wanted),
    look: () => answers.look(),
    begin: (name: string) => answers.begin({ destroy: () => gone.push(name) } as never),
  };
}

it('those who take next to nothing are hung up on, and nobody else', () => {
  const { begin, pass, look, gone } = room();
  const [, slow, fast] = ['stuck', 'slow', 'fast'].map(begin);
  pass(10_000);
  slow?.sent(100_000);
  fast?.sent(200_000);
  look();
  expect(gone).toEqual(['stuck', 'slow']);
  look();
  expect(gone).toEqual(['stuck', 'slow']);
});

it('nobody is where nobody else wants the room', () => {
  const { begin, pass, look, gone, want } = room();
  want(false);
  begin('stuck');
  pass(20_000);
  look();
  expect(gone).toEqual([]);
  want(true);
  look();
  expect(gone).toEqual(['stuck']);
});

it('nobody is slow at the beginning, or when the answer has been read', () => {
  const { begin, pass, look, gone } = room();
  begin('read').end();
  pass(60_000);
  begin('new');
  pass(4_000);
  look();
  expect(gone).toEqual([]);
});
