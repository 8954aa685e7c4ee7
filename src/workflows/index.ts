export { media } from './media';
export { projectWriter } from './projectWriter';
