shop-category-sort-shop = Change what it was for
shop-category-sort-shop-as = What it was for
shop-category-by-itself = as I sort it by myself
shop-category-sort-shop-does = It counts for all payments to this shop, earlier ones too.
shop-category-save = Save
shop-category-a-shop = this shop
shop-category-is-sorted = Payments to { $shop } count as { $category }.
shop-category-was-sorted = Payments to { $shop } counted as { $category }.
shop-category-is-unsorted = Payments to { $shop } count as { $category } again.
shop-category-payments-sorted = { $count ->
        [one] { $count } payment sorted: { $parts }
       *[other] { $count } payments sorted: { $parts }
    }
shop-category-part = { $count } { $category }
shop-category-rest = { $rest } of other kinds
