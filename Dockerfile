# Mishap in a container: the program as JavaScript, the built screens and what they run with; not root, and nothing is
# written outside /data and /tmp. docs/install.md has the commands, and says what of this was run and what was not.
#   docker build -t mishap .
#   docker build -t mishap --build-arg MISHAP_BASE_PATH=/mishap .    for https://intranet.example/mishap

FROM node:24-bookworm-slim AS build
ARG MISHAP_BASE_PATH=""
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packaging/runtime/package.json packaging/runtime/
COPY packaging/development/package.json packaging/development/
COPY scripts scripts
COPY src src
RUN node scripts/bootstrap.mjs pack --url "http://localhost$MISHAP_BASE_PATH"

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# without the peers that somebody's package could use if they were there: the lock file has Next, for the build
RUN npm install --no-save --omit=dev --legacy-peer-deps --workspaces=false --no-audit --no-fund

FROM node:24-bookworm-slim
RUN groupadd --system --gid 9000 mishap \
  && useradd --system --uid 9000 --gid mishap --home-dir /data --shell /usr/sbin/nologin mishap \
  && install -d -o mishap -g mishap -m 0700 /data
COPY --from=packages /app/node_modules /app/node_modules
COPY --from=build /build/dist /app/dist
COPY package.json LICENSE THIRD_PARTY_NOTICES /app/
ENV MISHAP_DATA=/data MISHAP_HOST=0.0.0.0 MISHAP_PORT=9000
USER 9000:9000
WORKDIR /data
VOLUME /data
EXPOSE 9000
STOPSIGNAL SIGTERM
# ready: screens and events store answer too; two minutes for a first start that migrates
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MISHAP_PORT}/api/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=16", "/app/dist/src/processes/main.js"]
CMD ["start"]
