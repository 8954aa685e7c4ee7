/** A request whose time is over before it has a connection, and what undici makes of it afterwards. */
import { type Dispatcher } from 'undici';
import { Exchange, TimeOverError } from '../../../src/api/exchange';

const REQUEST = { origin: 'http://127.0.0.1', path: '/', method: 'POST' } as const;

/** One that has no connection for anybody until it is told to begin. */
function waiting() {
  const handlers: Dispatcher.DispatchHandler[] = [];
  const dispatcher = {
    dispatch: (_options: unknown, handler: Dispatcher.DispatchHandler) => handlers.push(handler) > 0,
  } as unknown as Dispatcher;
  /** As undici does, just before it writes: true where it may. */
  const begin = (): boolean => {
    const reasons: Error[] = [];
    const controller = {
      abort: (why: Error) => reasons.push(why),
    } as unknown as Dispatcher.DispatchController;
    handlers[0]?.onRequestStart?.(controller, {});
    return reasons.length === 0;
  };
  return { dispatcher, begin };
}

test('P1: what got no connection in time was not sent, and is not written when it gets one', async () => {
  const { dispatcher, begin } = waiting();
  const exchange = new Exchange({ timeoutMs: 1 });
  await expect(exchange.run(dispatcher, REQUEST)).rejects.toThrow(TimeOverError);
  expect(begin()).toBe(false);
  expect(exchange.sent).toBe(false);
});

test('P1: a request is written once, whatever makes its dispatcher begin again', () => {
  const { dispatcher, begin } = waiting();
  const exchange = new Exchange({ timeoutMs: 1 });
  const ended = expect(exchange.run(dispatcher, REQUEST)).rejects.toThrow(TimeOverError);
  expect(begin()).toBe(true);
  expect(begin()).toBe(false);
  expect(exchange.sent).toBe(true);
  return ended;
});
