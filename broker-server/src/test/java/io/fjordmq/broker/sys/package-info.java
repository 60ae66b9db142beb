@NullMarked
package io.fjordmq.broker.sys;

import org.jspecify.annotations.NullMarked;
