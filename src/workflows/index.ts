export { media } from './media';
