/**
 * Sessions and delivery under seeded faults: the real code from the bytes of a connection down to
 * the stores, on simulated ranges, in virtual time and one thread. {@link
 * io.fjordmq.broker.simulation.BrokerSimulation} is a run, {@link
 * io.fjordmq.broker.simulation.BrokerLives} the broker in it from life to life, {@link
 * io.fjordmq.broker.simulation.ModelClient} a client that knows what it may expect, {@link
 * io.fjordmq.broker.simulation.Ledger} what all of them have been promised.
 */
@org.jspecify.annotations.NullMarked
package io.fjordmq.broker.simulation;
