export { campaign } from './campaign';
export { media } from './media';
export { nudge } from './nudge';
export { outlook } from './outlook';
export { projectWriter } from './projectWriter';
export { record } from './record';
export { transcript } from './transcript';
