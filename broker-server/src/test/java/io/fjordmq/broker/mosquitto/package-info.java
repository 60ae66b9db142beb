@NullMarked
package io.fjordmq.broker.mosquitto;

import org.jspecify.annotations.NullMarked;
