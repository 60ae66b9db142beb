/**
 * The load of a training run: {@code bin/standalone.sh build} applies it to a node whose JVM
 * records which classes and profiles the AOT cache should contain. Runs in a JVM of its own, so
 * that the profiles are those of a broker, and knows the broker only as an MQTT client does.
 */
@NullMarked
package io.fjordmq.broker.training;

import org.jspecify.annotations.NullMarked;
