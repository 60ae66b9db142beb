package io.fjordmq.broker.rest;

/**
 * The response to a command.
 *
 * @param message what has happened
 */
record CommandOutcome(@Field("What was done") String message) {}
