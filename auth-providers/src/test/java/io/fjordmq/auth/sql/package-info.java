@NullMarked
package io.fjordmq.auth.sql;

import org.jspecify.annotations.NullMarked;
