/**
 * Targets of the coverage-guided fuzzer: {@code DecoderFuzz} gives a connection any bytes, {@code
 * SessionFuzz} gives the broker any conversation of several clients. Both run the real pipeline on
 * stores in memory, on one thread and with time that only they move, so that an input does the same
 * each time. {@code bin/fuzz.sh} searches; {@code FuzzTest} runs the kept inputs, and shows that
 * the targets find planted faults.
 *
 * <p>They know nothing of the fuzzer: a target is a method that takes bytes.
 */
@NullMarked
package io.fjordmq.broker.fuzz;

import org.jspecify.annotations.NullMarked;
