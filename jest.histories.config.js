/** Records the committed histories anew: `npm run histories`. */
module.exports = { ...require('./jest.config.js'), testMatch: ['**/*.record.ts'], reporters: ['default'] };
