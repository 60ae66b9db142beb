@NullMarked
package io.fjordmq.broker.settings;

import org.jspecify.annotations.NullMarked;
