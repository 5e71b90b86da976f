package dev.weir.interop;

import java.nio.file.Path;
import java.util.List;

/** The way through the page, as an administrator takes it. */
record PageTour(Browser browser, Mails mails) {
    /** The pages, by the part of the address behind #. */
    static final List<String> PAGES = List.of("now", "waves", "campaigns", "why", "undo", "access", "learn");

    void signIn(String password) {
        browser.fill("input[type=password]", password);
        browser.press("Sign in");
        browser.element("nav");
    }

    void signOut() {
        browser.press("Sign out");
        browser.element("input[type=password]");
    }

    void turnTo(String page) {
        browser.turnTo(page);
        browser.element("nav a[href='#" + page + "'][aria-current=page]");
    }

    /** Learns a mail with the weight 10. */
    void learn(Path mail, String flag) {
        turnTo("learn");
        browser.fill("input[name=flag]", flag);
        browser.choose("input[type=file]", mail);
        browser.press("Learn 1 mail");
        browser.awaitText("[role=status]", "1 of 1 done, 0 failed");
        browser.awaitText("main", "✓");
        browser.awaitText("main", "Undo: remove ");
    }

    /** Rehearses the undo that the fields select, whose consequences must contain a text. */
    void rehearse(String consequences) {
        browser.press("Rehearse");
        browser.awaitText("[data-result=plan]", consequences);
    }

    /** Carries out the undo that was rehearsed. */
    void undo() {
        browser.press("Undo it");
        browser.awaitText("[data-result=done]", "It is in the audit trail");
    }

    /** Has a mail explained and returns the text of the page. */
    String explain(Path mail) {
        turnTo("why");
        browser.choose("input[type=file]", mail);
        browser.element("[data-result=why]");
        return browser.text("main");
    }

    /** Turns to a page and fills it, so that there is something to look at. */
    void fill(String page) {
        turnTo(page);
        switch (page) {
            case "now" -> browser.await("document.querySelectorAll('.chart canvas').length === 4"
                    + " && parseInt(document.querySelector('.tile b').innerText) > 0");
            case "waves" -> browser.awaitText("section[aria-label=Waves]", "wave");
            case "campaigns" -> browser.element("tbody tr");
            case "why" -> {
                explain(mails.modified());
                browser.choose("[data-part=compare] input[type=file]", mails.campaign());
                browser.awaitText("[data-part=compare]", "would be found");
            }
            case "undo" -> {
                browser.fill("input[name=from]", "127.0.0.1");
                browser.press("Rehearse");
                browser.element("[data-result=plan] tbody tr");
            }
            case "access" -> {
                browser.press("Check now");
                browser.awaitText("main", "✓");
                browser.awaitText("main", "weir.conf:");
            }
            case "learn" -> learn(mails.campaign(), "11");
            default -> throw new AssertionError(page);
        }
    }
}
