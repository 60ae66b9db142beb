@NullMarked
package io.fjordmq.broker.accounts;

import org.jspecify.annotations.NullMarked;
