package dev.weir.scan.outgoing;

/**
 * What was counted of outgoing mail since the start.
 *
 * @param users logins that are remembered now
 * @param mails mails with a login
 * @param waves texts that passed the limit of recipients; one that stops and comes back counts again
 * @param flagged mails that got the symbol
 * @param displaced logins that were forgotten within the window for lack of room
 */
public record OutgoingFigures(int users, long mails, long waves, long flagged, long displaced) {}
