// In place of the part of express-openapi-validator that compiles the schema of OpenAPI documents, for every operation of every gateway of every test
// file, although it is told not to check the document. It says so should it be asked.
exports.OpenAPISchemaValidator = class {
  validate() {
    throw new Error('the document is not checked in tests (tools/jest-no-meta-schema.cjs)');
  }
};
