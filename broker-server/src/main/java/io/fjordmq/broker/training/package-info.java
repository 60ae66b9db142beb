/**
 * The load of a training run: {@code bin/standalone.sh build} applies it to a node whose JVM
 * records which classes and profiles the AOT cache should contain. The load runs in its own JVM, so
 * that the profiles contain only the broker's code, and it talks to the broker only over MQTT.
 */
@NullMarked
package io.fjordmq.broker.training;

import org.jspecify.annotations.NullMarked;
