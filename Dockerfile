# The build stage has all packages; each image gets only those it needs.
FROM node:20-bookworm-slim AS build
WORKDIR /segue
COPY package.json package-lock.json .npmrc ./
COPY sandbox/package.json sandbox/
COPY devserver/package.json devserver/
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY src src
COPY sandbox/tsconfig.json sandbox/seed.json sandbox/
COPY sandbox/src sandbox/src
COPY devserver/tsconfig.json devserver/
COPY devserver/src devserver/src
RUN npm run build

FROM build AS packages
RUN npm prune --omit=dev --ignore-scripts

# The sandbox is a devDependency: install it and the worker's packages only.
FROM build AS sandboxpackages
RUN npm install --no-save --save-prod --omit=dev --ignore-scripts ./sandbox

FROM node:20-bookworm-slim AS segue
ENV NODE_ENV=production
# Limits the heap, and glibc's arenas, so that a worker stays under 450 MiB; a larger heap caches more runs.
ENV NODE_OPTIONS=--max-old-space-size=512 MALLOC_ARENA_MAX=2
# The slim image has no CA certificates; Temporal and the service use TLS.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /segue
COPY --from=build /segue/package.json ./
COPY --from=build /segue/dist dist
COPY --from=build /segue/bin bin

FROM segue AS sandbox
COPY --from=sandboxpackages /segue/node_modules node_modules
COPY --from=build /segue/sandbox/package.json /segue/sandbox/seed.json sandbox/
COPY --from=build /segue/sandbox/dist sandbox/dist
# A new volume takes the owner of the folder that it is mounted on.
RUN mkdir /data && chown node:node /data
USER node
CMD ["./bin/segue", "sandbox", "--host", "0.0.0.0", "--port", "4010", "--db", "/data/sandbox.ndjson"]

# The last target is what `docker build .` makes.
FROM segue AS worker
COPY --from=packages /segue/node_modules node_modules
USER node
CMD ["node", "dist/worker.js"]
