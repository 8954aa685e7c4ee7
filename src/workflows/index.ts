export { media } from './media';
export { projectWriter } from './projectWriter';
export { record } from './record';
export { transcript } from './transcript';
