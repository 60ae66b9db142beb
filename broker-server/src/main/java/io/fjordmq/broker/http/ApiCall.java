package io.fjordmq.broker.http;

import java.util.Optional;

/**
 * A request to the API.
 *
 * @param method the method, in upper case
 * @param path the path, not decoded
 * @param query the query, not decoded; empty if there is none
 * @param authorization the header Authorization
 * @param contentType the header Content-Type
 * @param origin the header Origin, which browsers send with requests from web pages
 * @param host the host and port that the client addressed
 * @param remoteAddress the IP address of the client
 * @param body the body; empty if there is none
 * @param deadlineNanos when the client gets a timeout instead of the response, in the time of
 *     {@link System#nanoTime}
 */
public record ApiCall(
    String method,
    String path,
    String query,
    Optional<String> authorization,
    Optional<String> contentType,
    Optional<String> origin,
    String host,
    String remoteAddress,
    byte[] body,
    long deadlineNanos) {}
