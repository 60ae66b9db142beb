/**
 * Injects faults into a real cluster and checks its delivery guarantees.
 *
 * <p>{@code bin/chaos.sh} runs {@link io.fjordmq.broker.chaos.Chaos}: node processes in network
 * namespaces of their own, clients that record what they published and received (a {@link
 * io.fjordmq.broker.chaos.History}), and a seeded sequence of faults. Afterwards {@link
 * io.fjordmq.broker.chaos.HistoryChecker} reads the history and names every message that was
 * acknowledged and then lost, duplicated or reordered.
 */
@NullMarked
package io.fjordmq.broker.chaos;

import org.jspecify.annotations.NullMarked;
