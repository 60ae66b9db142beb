/**
 * Targets of the coverage-guided fuzzer: {@code DecoderFuzz} gives a connection any bytes, {@code
 * SessionFuzz} simulates any conversation of several clients. Both run the real pipeline on
 * in-memory stores, on one thread and with simulated time, so that an input has the same effect
 * each time. {@code bin/fuzz.sh} searches; {@code FuzzTest} runs the kept inputs, and shows that
 * the targets detect injected faults.
 *
 * <p>They know nothing of the fuzzer: a target is a method that takes bytes.
 */
@NullMarked
package io.fjordmq.broker.fuzz;

import org.jspecify.annotations.NullMarked;
