/** Fields that several operations share. */
import { z } from 'zod';

export const text = z.string().trim().min(1, 'must not be empty');

/** Ids of projects, tasks, runs and assets are the service's business. `.` and `..` would change the path. */
export const opaqueId = text.refine((id) => id !== '.' && id !== '..', 'must be an id');

export const uuid = z.uuid({ error: 'must be a UUID' });

export const pageNumber = z.int().min(1, 'must be 1 or more');
