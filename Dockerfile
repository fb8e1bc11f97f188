# The worker of docker-compose.yml: Fixwright as its users install it (npm pack, npm install), git, bubblewrap and both agents' CLIs.
FROM node:26.10.0-bookworm-slim AS package
WORKDIR /build
COPY . .
RUN npm ci && npm pack --pack-destination /package

FROM node:26.10.0-bookworm-slim
# The versions that Fixwright is tested with: package.json has the same.
ARG CLAUDE_CODE=2.1.327
ARG GEMINI_CLI=0.61.0
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git procps \
  && rm -rf /var/lib/apt/lists/*
COPY --from=package /package/*.tgz /tmp/package/
RUN npm install --global --allow-scripts=@anthropic-ai/claude-code \
    /tmp/package/*.tgz "@anthropic-ai/claude-code@${CLAUDE_CODE}" "@google/gemini-cli@${GEMINI_CLI}" \
  && npm cache clean --force \
  && rm -rf /tmp/package
ENV FIXWRIGHT_HOME=/var/lib/fixwright HOME=/var/lib/fixwright/user
# A volume takes the owner of the folder it covers.
RUN mkdir -p "$HOME" && chown -R 1000:1000 "$FIXWRIGHT_HOME"
USER 1000:1000
CMD ["fixwright", "up"]
