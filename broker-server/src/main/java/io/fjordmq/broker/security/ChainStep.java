package io.fjordmq.broker.security;

/**
 * The result of one provider in a test of the configuration.
 *
 * @param chain {@code certificate}, {@code authentication} or {@code authorization}
 * @param provider the name of the provider
 * @param result {@code allow}, {@code deny}, {@code ignore} or {@code error}
 * @param detail the reason or the rule; empty if there is none
 * @param nanos how long the result took
 */
public record ChainStep(String chain, String provider, String result, String detail, long nanos) {}
