package io.fjordmq.broker.rest;

/**
 * The body of an error response.
 *
 * @param code the name of an {@link ErrorCode}
 */
record ErrorBody(
    @Field("Error code, for programs") String code,
    @Field("What is wrong and what to do, for humans") String message) {}
