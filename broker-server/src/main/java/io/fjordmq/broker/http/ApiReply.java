package io.fjordmq.broker.http;

import java.util.Map;

/**
 * A response of the API.
 *
 * @param contentType the type of the body; empty if there is no body
 * @param headers further headers
 */
public record ApiReply(int status, String contentType, Map<String, String> headers, byte[] body) {}
