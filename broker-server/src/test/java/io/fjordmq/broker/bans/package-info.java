@NullMarked
package io.fjordmq.broker.bans;

import org.jspecify.annotations.NullMarked;
