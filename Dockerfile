# Builds with everything, runs with what the worker and the sandbox need.
FROM node:20-bookworm-slim AS build
WORKDIR /segue
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim AS segue
ENV NODE_ENV=production
# Limits the heap, and glibc's arenas, so that a worker stays under 450 MiB; a larger heap caches more runs.
ENV NODE_OPTIONS=--max-old-space-size=512 MALLOC_ARENA_MAX=2
# The slim image has no CA certificates; Temporal and the service use TLS.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /segue
COPY --from=build /segue/package.json ./
COPY --from=build /segue/node_modules node_modules
COPY --from=build /segue/dist dist
COPY --from=build /segue/bin bin
ENTRYPOINT ["./bin/segue"]

FROM segue AS sandbox
COPY examples/sandbox.seed.json examples/
# A new volume takes the owner of the folder that it is mounted on.
RUN mkdir /data && chown node:node /data
USER node
CMD ["sandbox", "--host", "0.0.0.0", "--port", "4010", "--db", "/data/sandbox.ndjson"]

# The last target is what `docker build .` makes.
FROM segue AS worker
USER node
CMD ["worker"]
