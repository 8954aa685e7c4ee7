import { freePort } from '@segue/devserver';
import { InvalidInput, Segue, TemporalUnreachable } from '../../../src/client';
import { orUnreachable } from '../../../src/runs/grpc';
import { ServiceError } from '@temporalio/client';

test('a Temporal server that is not there is one clear error, with the address', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const connecting = Segue.connect({ temporal: { address } });
  await expect(connecting).rejects.toThrow(TemporalUnreachable);
  await expect(connecting).rejects.toThrow(`Temporal at ${address} cannot be reached`);
});

test('wrong options are refused before anything is connected', async () => {
  const wrong = { poll: { min: '5' }, submit: { timeout: '5 minutes' } } as never;
  await expect(Segue.connect(wrong)).rejects.toThrow(/poll\.min: .*\n.*submit\.timeout: /);
  await expect(Segue.connect(wrong)).rejects.toThrow(InvalidInput);
});

test('a server that goes away later is the same error; any other error stays', async () => {
  const failure = (code: number): ServiceError =>
    new ServiceError('Failed to describe', { cause: Object.assign(new Error('no connection'), { code }) });
  const gone = orUnreachable(Promise.reject(failure(14)));
  await expect(gone).rejects.toThrow(TemporalUnreachable);
  await expect(gone).rejects.toThrow('no connection');
  await expect(orUnreachable(Promise.reject(failure(7)))).rejects.toThrow(ServiceError);
});
