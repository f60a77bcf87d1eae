# The gateway's image: what `npm run pack:server` makes, on Node, for a user without rights. Its one writable place is /var/lib/gateway/data.
ARG NODE=node:24.21.0-bookworm-slim

# What says which packages there are, and nothing else: sources that changed since the last build do not install them again.
FROM ${NODE} AS manifests
WORKDIR /src
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete && find . -type d -empty -delete

FROM ${NODE} AS build
WORKDIR /src
COPY --from=manifests /src ./
# --ignore-scripts: no package needs one here, and none may run one.
RUN npm ci --omit=dev --ignore-scripts
COPY . .
RUN node tools/packing/pack-server.mjs --out /server

FROM ${NODE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Unified Model Gateway" \
      org.opencontainers.image.description="One HTTP address in front of many generative models" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/node:24.21.0-bookworm-slim" \
      org.model-gateway.sbom="/opt/gateway/sbom.cdx.json" \
      org.model-gateway.sbom.format="CycloneDX 1.6"
# Installing is over: an image that serves has no package manager.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* \
 && install -d -o 65532 -g 65532 -m 0700 /var/lib/gateway/data
COPY --from=build /server /opt/gateway
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    MALLOC_ARENA_MAX=2
WORKDIR /var/lib/gateway
VOLUME ["/var/lib/gateway/data"]
USER 65532:65532
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=32", "--expose-gc", "/opt/gateway/bin/gateway.mjs"]
CMD ["serve"]
