package io.fjordmq.cli.api;

import tools.jackson.databind.JsonNode;

/**
 * A successful response.
 *
 * @param status the HTTP status, 200 to 299
 * @param text the body as received; empty if there is none
 * @param json the body; a missing node if there is none
 */
public record ApiReply(int status, String text, JsonNode json) {}
