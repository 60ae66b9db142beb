@NullMarked
package io.fjordmq.broker.userdb;

import org.jspecify.annotations.NullMarked;
