package io.fjordmq.broker.rest;

/**
 * The body of an error response.
 *
 * @param code the name of an {@link ErrorCode}
 */
record ErrorBody(
    @Field("Machine-readable error code") String code,
    @Field("Human-readable description of the error and how to fix it") String message) {}
