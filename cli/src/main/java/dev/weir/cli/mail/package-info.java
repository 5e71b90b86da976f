/**
 * Holds the commands that work on mails: check, learn, forget, hash; look here when a mail is not found or its report
 * is wrong.
 */
@NullMarked
package dev.weir.cli.mail;

import org.jspecify.annotations.NullMarked;
