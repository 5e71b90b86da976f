package dev.weir.hash.html.css;

/** A way in which the display of an element is set to hidden, named as CSS names it. */
enum Hiding {
    DISPLAY("display none"),
    VISIBILITY("visibility hidden"),
    ATTRIBUTE("attribute hidden"),
    OPACITY("opacity below 0.1"),
    OFF_SCREEN("position or text-indent off the screen, or clipped"),
    OVERFLOW("overflow hidden at size 0");

    private final String css;

    Hiding(String css) {
        this.css = css;
    }

    String css() {
        return css;
    }
}
