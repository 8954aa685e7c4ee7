/** Where a result goes and who is told, as a person types it. */
import { InvalidArgumentError } from 'commander';
import { isPointer } from '../api/pointer';
import { type NotifyTarget, type WriteTarget } from '../contract';

/** `campaign/7:/media/banner`; an id may hold what a type may not. */
export function writeFlag(text: string): WriteTarget {
  const [, resourcetype = '', id = '', at = ''] = /^([^/:]+)\/([^:]+):(\/.*)$/s.exec(text) ?? [];
  if (resourcetype === '' || !isPointer(at))
    throw new InvalidArgumentError('It is TYPE/ID:/json/pointer, like campaign/7:/media/banner.');
  return { project: { resourcetype, id }, at };
}

/** `USER@WORKSPACE`. A user may be an address with an @ of its own. */
export function notifyFlag(text: string): NotifyTarget {
  const [, userId = '', workspaceId = ''] = /^(\S+)@([^\s@]+)$/.exec(text) ?? [];
  if (userId === '') throw new InvalidArgumentError('It is USER@WORKSPACE, like u-1@42.');
  return { userId, workspaceId };
}
