/** Fields that several operations share. What is checked is what is sent: nothing is trimmed on the way. */
import { z } from 'zod';
import { isId } from '../ids';

export const text = z.string().refine((value) => value.trim() !== '', 'must not be empty');

/** Ids of projects, tasks, runs and assets are the service's business. */
export const opaqueId = z.string().refine(isId, 'must be an id: not empty, no blanks around it');

export const uuid = z.guid({ error: 'must be a UUID' });

export const pageNumber = z.int().min(1, 'must be 1 or more');
