/**
 * Faults against a real cluster, and whether it kept its promises.
 *
 * <p>{@code bin/chaos.sh} runs {@link io.fjordmq.broker.chaos.Chaos}: node processes in network
 * namespaces of their own, clients that write down what they were promised and what they got (a
 * {@link io.fjordmq.broker.chaos.History}), and a seeded sequence of faults. Afterwards {@link
 * io.fjordmq.broker.chaos.HistoryChecker} reads the history and names every message that was
 * acknowledged and then lost, doubled or reordered.
 */
@NullMarked
package io.fjordmq.broker.chaos;

import org.jspecify.annotations.NullMarked;
